// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/state/interval.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::isa {

/// mayOverlap of isa-reference.md: the predicate of aliasing and of hazards, normative, so that
/// every implementation faults and stalls on the same operands. False means that no byte is
/// shared; true may be said of operands that share none. Symmetric. Operands have passed checkTile,
/// checkView and checkViewPosition; empty ones overlap nothing.
bool mayOverlap(const TileRegister& a, const TileRegister& b);

/// Views: bases already translated and canonical, so that equal bytes have equal addresses.
/// `axis_a`, `axis_b`: the named axis of a gather or scatter, taken as its whole [0, dim).
bool mayOverlap(const ViewDescriptor& a, const ViewDescriptor& b, int axis_a = kNoNamedAxis,
                int axis_b = kNoNamedAxis);

/// A tile and an interval of local memory (byte offsets, as base): a local-memory view counts by
/// its interval, boxHull moved to local offsets. The interval is a tile of one row of bytes, so
/// one between two rows does not overlap.
bool mayOverlap(const TileRegister& tile, const ByteInterval& interval);

/// Whether a destination writes some byte twice (no: certainly not; yes: maybe). Extents count as
/// written, unclipped, so the answer depends on the shape alone and not on the cursor. A view with
/// a named axis takes that axis as one level of extent dim in place of its box dims: elements of
/// different coordinates must be distinct, equal indices are the scatter's own business.
bool selfOverlaps(const TileRegister& tile);
bool selfOverlaps(const ViewDescriptor& view, int named_axis = kNoNamedAxis);

}  // namespace etalon::isa
