# SPDX-License-Identifier: Apache-2.0
"""One page: Markdown to HTML with the links, anchors and tables the site has. python-markdown does the parsing."""
import html
import posixpath
import re

import markdown

EXTENSIONS = ["markdown.extensions.tables", "markdown.extensions.fenced_code", "markdown.extensions.toc", "markdown.extensions.sane_lists"]
RULE_ITEM = re.compile(r'<li>(?:<p>)?<a id="([^"]+)"></a><strong>\[(0x[0-9a-f]{4}) [^\]]+\]</strong> ')
# A heading with an anchor of its own needs no other.
MARKED_HEADING = re.compile(r'<(h[23]) id="[^"]*"><a id="([^"]+)"></a>')
HREF = re.compile(r'<a href="([^"]+)">(.*?)</a>', re.DOTALL)
TAG = re.compile(r"(<[^>]+>)")
WITHOUT_LINKS = ("a", "pre", "h1", "h2", "h3", "script")
RULE_WORD = re.compile(r"\b[a-z]+\.[a-z0-9-]+\b")
# GitHub takes a list right after a paragraph, python-markdown wants an empty line between.
LIST_AFTER_TEXT = re.compile(r"^((?![*\s#|>-]|\d+\. ).*\S.*)\n(?=(\* |\d+\. ))", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Renderer:
    """Turns pages of the site into HTML.

    `pages`: paths of all pages, with their ending .html. `instructions`, `rules`: names -> page and anchor.
    """

    def __init__(self, pages, instructions, rules):
        self.pages, self.instructions, self.rules = pages, instructions, rules

    def render(self, path, text):
        """(HTML of the body, headings of the second level as {id, name})"""
        parser = markdown.Markdown(extensions=EXTENSIONS)
        body = parser.convert(separate_lists(text))
        body = RULE_ITEM.sub(rule_item(path), body)
        body = MARKED_HEADING.sub(r'<\1 id="\2">', body)
        body = HREF.sub(lambda m: self.link(path, m[1], m[2]), body)
        body = self.link_names(path, body)
        body = body.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
        tokens = [t for top in parser.toc_tokens for t in top["children"]]
        return body, [{"id": t["id"], "name": html.unescape(t["name"])} for t in tokens]

    def link(self, path, target, text):
        """A link to a page of the site; one to a file of the repository that the site does not show becomes its text."""
        if re.match(r"[a-z]+:|#", target):
            return f'<a href="{target}">{text}</a>'
        file, hash_mark, anchor = target.partition("#")
        wanted = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), file)))
        if wanted not in self.pages:
            return text
        return f'<a href="{relative(path, wanted)}{hash_mark}{anchor}">{text}</a>'

    def link_names(self, path, body):
        """Links mnemonics in code marks, and rules by their names, where nothing else is linked."""
        out, inside = [], []
        for piece in TAG.split(body):
            if piece.startswith("<"):
                name = re.match(r"</?([a-z0-9]+)", piece)
                if name and name[1] in WITHOUT_LINKS + ("code",):
                    inside.pop() if piece.startswith("</") else inside.append(name[1])
            elif inside == ["code"] and piece in self.instructions:
                piece = f'<a href="{relative(path, self.instructions[piece])}">{piece}</a>'
            elif not inside:
                piece = RULE_WORD.sub(lambda m: self.rule_link(path, m[0]), piece)
            out.append(piece)
        return "".join(out)

    def rule_link(self, path, name):
        if name not in self.rules:
            return name
        return f'<a href="{relative(path, self.rules[name])}#{name}">{name}</a>'


def separate_lists(text):
    """An empty line before a list that follows text, outside of code."""
    out, at = [], 0
    for code in FENCED.finditer(text):
        out += [LIST_AFTER_TEXT.sub(r"\1\n\n", text[at:code.start()]), code[0]]
        at = code.end()
    return "".join(out + [LIST_AFTER_TEXT.sub(r"\1\n\n", text[at:])])


def rule_item(path):
    tests = relative(path, "rule-tests.html")
    return (lambda m: f'<li class="rule" id="{m[1]}"><a class="rule-id" id="{m[2]}" href="#{m[1]}">{m[2]} {m[1]}</a> '
            f'<a class="rule-tests" href="{tests}#{m[1]}">tests</a><br>' + ("<p>" if "<p>" in m[0] else ""))


def page_of(path):
    """The page that shows a file: Markdown becomes HTML of its own name, README the index of its folder's chapters."""
    return re.sub(r"\.md$", "", path) + ".html"


def relative(path, target):
    return posixpath.relpath(target, posixpath.dirname(path) or ".")


def plain_text(body):
    """What a reader sees of HTML, blanks joined."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())
