// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "sim/arch/elf_writer.h"
#include "sim/functional/functional_device.h"
#include "tools/gdb/session.h"

namespace etalon::tools::gdb {

/// A session over a launch of a device that was loaded, for tests.
class SessionRig {
 public:
  SessionRig(std::unique_ptr<sim::FunctionalDevice> device, unsigned cores,
             uint64_t limit = 1'000'000)
      : device_(std::move(device)), image_(noImage()), lines_(image_) {
    sim::LaunchOptions options;
    options.cores = cores;
    options.instruction_limit = limit;
    EXPECT_TRUE(device_->start(options).ok());
    target_ = std::make_unique<Target>(*device_);
    monitor_ = std::make_unique<Monitor>(*target_, lines_);
    session_ = std::make_unique<Session>(*target_, *monitor_);
  }

  /// The answers to a packet, console output decoded to `[text]`; of one that
  /// lets cores run, those at the next stop.
  std::string ask(std::string_view packet) {
    std::vector<std::string> answers = session_->answer(packet);
    while (session_->state() == Session::State::running) {
      const std::vector<std::string> more = session_->advance();
      answers.insert(answers.end(), more.begin(), more.end());
    }
    std::string text;
    for (const std::string& answer : answers) {
      const bool console = answer.starts_with('O') && answer != "OK";
      text +=
          console ? "[" + textOfHex(answer.substr(1)).value_or("not hexadecimal") + "]" : answer;
    }
    return text;
  }
  std::string monitor(std::string_view command) { return ask("qRcmd," + hexOf(command)); }

  sim::FunctionalDevice& device() { return *device_; }
  Target& target() { return *target_; }
  Session& session() { return *session_; }

 private:
  static sim::ElfImage noImage();

  std::unique_ptr<sim::FunctionalDevice> device_;
  sim::ElfImage image_;
  SourceLines lines_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<Monitor> monitor_;
  std::unique_ptr<Session> session_;
};

inline sim::ElfImage SessionRig::noImage() {
  const uint32_t word = 0;
  auto image = sim::ElfImage::parse(sim::writeElf(0x80000000, {&word, 1}, {}), "nothing");
  EXPECT_TRUE(image.ok());
  return *std::move(image);
}

}  // namespace etalon::tools::gdb
