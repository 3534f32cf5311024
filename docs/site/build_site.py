#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the manual as one static site: the ISA description, docs/spec, guides, how-tos and design pages.

Usage: build_site.py SOURCE_DIR OUTPUT_DIR

OUTPUT_DIR is the site's own: HTML files in it that are no longer made are removed. Nothing in it needs a server or a network.
"""
import json
import pathlib
import re
import sys

import jinja2
import markupsafe

SITE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(SITE.parents[1] / "isa/gen"))

from emit_manual import manual  # noqa: E402
from encoding import DescriptionError  # noqa: E402
from load import load  # noqa: E402
from read import read_text, write_if_changed  # noqa: E402
from render import Renderer, page_of, plain_text  # noqa: E402

ASSETS = ("site.css", "search.js")
# Folders of docs beside spec, and the title their pages stand under.
FOLDERS = {"guide": "Guides", "how-to": "How to", "design": "Design decisions"}
TABLES = ("opcode-map", "rules", "rule-tests", "types", "profiles", "csrs", "counters")
SECTION = re.compile(r'<h[23] id="([^"]+)">(.*?)</h[23]>', re.DOTALL)
LINKED_SOURCE = re.compile(r"\]\(((?:\.\./)+[^)#]+\.(?:c|h|cc|py|s))\)")


def collect(description):
    """Markdown of every page by its path in the site, without ending; sources that pages link to are pages too."""
    source = description["source"]
    pages = {name.removesuffix(".md"): text for name, text in manual(description).items()}
    for folder in FOLDERS:
        for path in sorted((source / "docs" / folder).glob("*.md")):
            pages[f"{folder}/{path.stem}"] = read_text(path)
    pages["status"] = read_text(source / "docs/status.md")
    for name, text in list(pages.items()):
        for target in LINKED_SOURCE.findall(text) if name.split("/")[0] in FOLDERS else []:
            path = (source / "docs" / name).parent / target
            shown = path.resolve().relative_to(source.resolve())
            pages[f"source/{shown}"] = f"# {shown}\n\n```\n{read_text(path)}```\n"
            pages[name] = pages[name].replace(f"]({target})", f"](../source/{shown})")
    return pages


def title_of(text):
    return re.search(r"^# (.+)$", text, re.MULTILINE)[1].replace("`", "")


def navigation(description, pages):
    """Sections of links that every page has, and those of an instruction's page: its group."""
    def links(names):
        return [{"path": name + ".html", "title": title_of(pages[name])} for name in names]
    chapters = [n for n in pages if n.startswith("spec/") and n != "spec/README"]
    common = [{"title": "Manual", "links": links(["index", "spec/README"] + chapters)}, {"title": "Tables", "links": links(TABLES)}]
    common += [{"title": title, "links": links(sorted((n for n in pages if n.startswith(folder + "/")), key=lambda n: (not n.endswith("README"), n)))}
               for folder, title in FOLDERS.items()]
    groups = {}
    for group in description["groups"]:
        section = {"title": group["title"], "links": [{"path": f"instructions/{i['name']}.html", "title": i["name"]} for i in group["instructions"]]}
        groups |= {link["path"]: section for link in section["links"]}
    return common, groups


def index_entries(description, bodies):
    """What search finds: instructions, rules, CSRs, counters, types and the sections of pages."""
    for i in description["instructions"]:
        yield "instruction", i["name"], f"instructions/{i['name']}.html", f"{i['syntax']}: {i['summary']}"
    for rule in description["rules"].values():
        yield "rule", f"{rule['name']} 0x{rule['number']:04x}", f"spec/{rule['chapter']}.html#{rule['name']}", rule["text"].replace("`", "")
    for csr in description["csrs"]:
        yield "CSR", csr["name"], "csrs.html", f"0x{csr['number']:03x}: {csr['summary']}"
    for counter in description["counters"]:
        yield "counter", counter["name"], "counters.html", f"counter {counter['number']}: {counter['summary']}"
    for element in description["types"]:
        yield "type", element["name"], "types.html", f"element type of {element['bits']} bits, code {element['code']}"
    for path, (title, body) in bodies.items():
        if path.startswith(("instructions/", "source/")):
            continue
        if path.removesuffix(".html") in TABLES:
            body = body.partition("<table>")[0]  # the rows are entries of their own
        parts = SECTION.split(body)
        yield "page", title, path, plain_text(parts[0])
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            yield "section", plain_text(heading), f"{path}#{anchor}", f"{title}: {plain_text(text)}"


def build(description):
    """File name in the site -> text."""
    pages = collect(description)
    paths = {name: page_of(name) for name in pages}
    # By mnemonic, and as the C intrinsic is called.
    names = {name: f"instructions/{i['name']}.html" for i in description["instructions"] for name in (i["name"], i["name"].replace(".", "_"))}
    renderer = Renderer(set(paths.values()), names,
                        {name: f"spec/{rule['chapter']}.html" for name, rule in description["rules"].items()})
    template = jinja2.Environment(loader=jinja2.FileSystemLoader(SITE), autoescape=True, undefined=jinja2.StrictUndefined).get_template("page.html")
    common, groups = navigation(description, pages)
    files, bodies = {}, {}
    for name, text in pages.items():
        path, title = paths[name], title_of(text)
        body, headings = renderer.render(path, text)
        bodies[path] = (title, body)
        own = [groups[path]] if path in groups else []
        files[path] = template.render(title=title, path=path, root="../" * path.count("/"), body=markupsafe.Markup(body),
                                      navigation=own + common, headings=headings)
    keys = ("kind", "title", "url", "text")
    entries = [dict(zip(keys, entry)) for entry in index_entries(description, bodies)]
    files["search-index.js"] = "const SEARCH_INDEX = [\n" + ",\n".join(json.dumps(e, ensure_ascii=False) for e in entries) + "\n];\n"
    media = sorted((description["source"] / "docs/media").glob("*.svg"))
    return files | {name: read_text(SITE / name) for name in ASSETS} | {f"media/{path.name}": read_text(path) for path in media}


def main():
    source, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    try:
        files = build(load(source))
    except DescriptionError as error:
        sys.exit(f"isa/gen: {error}")
    for name, text in files.items():
        write_if_changed(out / name, text)
    for path in sorted(out.rglob("*.html")):
        if str(path.relative_to(out)) not in files:
            path.unlink()
    (out / "manual.stamp").write_text("")


if __name__ == "__main__":
    main()
