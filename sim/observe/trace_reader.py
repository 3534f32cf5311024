# SPDX-License-Identifier: Apache-2.0
"""Traces of timed runs read by decoders that share no code with what writes them: the wire format of protobuf with the field numbers of
Perfetto's .proto files, written down here once more, and Chrome trace events. For tests."""
import collections
import json
import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """{field number: [value]} of a protobuf message; bytes where the wire has a length."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a message is cut off"
        else:
            raise AssertionError(f"wire type {kind}")
        found[key >> 3].append(value)
    return found


class Perfetto:
    """A trace as a viewer sees it: tracks with their slices (name, begin, end, arguments), instants, counters, flows."""

    def __init__(self, data):
        self.tracks, self.slices, self.counters = {}, collections.defaultdict(list), collections.defaultdict(list)
        self.flows = collections.defaultdict(list)  # id -> (time, place in the file, track, terminates)
        self.cleared, names, arguments, events = [], {}, {}, []
        for place, data in enumerate(fields(data)[1]):
            packet = fields(data)
            assert packet[10] == [1], "one sequence"
            if packet[13][0] & 1:
                self.cleared.append(place)
            for interned in map(fields, packet[12]):
                for table, field in ((names, 2), (arguments, 3)):
                    for entry in map(fields, interned[field]):
                        assert entry[1][0] not in table, "a number is given twice"
                        table[entry[1][0]] = entry[2][0].decode()
            for descriptor in map(fields, packet[60]):
                self.track(descriptor)
            for event in map(fields, packet[11]):
                assert packet[13][0] & 2, "interned names need the sequence's state"
                name = names[event[10][0]] if event[10] else None
                values = {arguments[a[1][0]]: (a[3] + a[7])[0] for a in map(fields, event[4])}
                events.append((packet[8][0], place, event[9][0], event[11][0], name, values, event))
        events.sort(key=lambda e: e[:2])  # as trace processors do: by time, stable
        open_slices = collections.defaultdict(list)
        for time, place, kind, track, name, values, event in events:
            assert track in self.tracks, "an event on no track"
            if kind == 1:
                open_slices[track].append((name, time, values))
            elif kind == 2:
                self.slices[track].append((*open_slices[track].pop(), time))
            elif kind == 3:
                self.slices[track].append((name, time, values, time))
            elif kind == 4:
                self.counters[track].append((time, struct.unpack("<d", event[44][0])[0]))
            for flow, terminates in [(f, False) for f in event[47]] + [(f, True) for f in event[48]]:
                self.flows[struct.unpack("<Q", flow)[0]].append((time, place, track, terminates))
        assert not any(open_slices.values()), "a slice without an end"

    def track(self, descriptor):
        uuid = descriptor[1][0]
        assert uuid not in self.tracks and uuid != 0, "a track is described twice"
        parent = self.tracks[descriptor[5][0]] if descriptor[5] else None
        if descriptor[3]:
            process = fields(descriptor[3][0])
            self.tracks[uuid] = {"kind": "process", "name": process[6][0].decode(), "pid": process[1][0]}
        elif descriptor[4]:
            thread = fields(descriptor[4][0])
            assert thread[1][0] == parent["pid"], "a thread of its process"
            self.tracks[uuid] = {"kind": "thread", "name": thread[5][0].decode(), "process": parent["name"]}
        else:
            kind = "counter" if descriptor[8] else "lane"
            self.tracks[uuid] = {"kind": kind, "name": descriptor[2][0].decode(), "process": parent["name"]}

    def of_kind(self, kind, ending=""):
        return {u: t for u, t in self.tracks.items() if t["kind"] == kind and t["name"].endswith(ending)}


def from_json(text):
    """The same view of a Chrome trace; times in cycles."""
    trace = json.loads(text)
    tracks, slices, counters, flows = {}, collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(list)
    groups = {}
    cycles = lambda us: round(us * 1000)
    for event in trace["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "process_name":
            groups[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M":
            tracks[event["tid"]] = {"name": event["args"]["name"], "process": groups[event["pid"]]}
        elif event["ph"] in "Xi":
            begin = cycles(event["ts"])
            slices[event["tid"]].append((event["name"], begin, event["args"], begin + cycles(event.get("dur", 0))))
        elif event["ph"] == "C":
            counters[groups[event["pid"]], event["name"]].append((cycles(event["ts"]), event["args"]["value"]))
        else:
            flows[event["id"]].append((event["ph"], cycles(event["ts"]), event["tid"]))
    return tracks, slices, counters, flows


def ledger_of(tracks, slices):
    """[process, unit, activity, cycles] of unit tracks; spans must follow without a gap."""
    cycles = collections.Counter()
    for uuid, track in tracks.items():
        at = 0
        for name, begin, _, end in sorted((s for s in slices[uuid] if s[1] != s[3]), key=lambda s: s[1]):
            assert begin == at, f"{track}: a gap or an overlap at {begin}"
            cycles[track["process"], track["name"], name] += end - begin
            at = end
    return sorted([*key, value] for key, value in cycles.items())


def area(series):
    """Sum of value times duration; a series ends in 0."""
    assert not series or series[-1][1] == 0
    return sum(value * (following[0] - time) for (time, value), following in zip(series, series[1:]))
