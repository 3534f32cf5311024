// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace etalon::abi {

/// The life of a worker process: loads the plug-in, then serves requests from the socket until it closes. Never returns.
[[noreturn]] void serveWorker(int socket, const std::string& path);

}  // namespace etalon::abi
