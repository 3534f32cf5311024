// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "isa/base/file.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

/// A folder of a test's own with a study in it, removed at the end.
class StudyFolder : public ::testing::Test {
 protected:
  StudyFolder() {
    std::filesystem::create_directory(folder_);
    EXPECT_TRUE(writeFile(folder_ + "/program.elf", "").ok());
  }
  ~StudyFolder() override { std::filesystem::remove_all(folder_); }

  /// The study of this text; `name`, `machine`, `device` and a workload `w` are put in front of it.
  Study study(const std::string& rest) {
    const std::string text =
        "name: study\nmachine: base\ndevice: npu-functional\nworkloads: [{name: w, program: "
        "program.elf, inputs: {x: \"random:1\"}, args: {n: 4}}]\n" +
        rest;
    EXPECT_TRUE(writeFile(folder_ + "/study.yaml", text).ok());
    Result<Study> loaded = loadStudy(folder_ + "/study.yaml");
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    return *std::move(loaded);
  }

  const std::string folder_ = ::testing::TempDir() + "etalon_sweep_" + std::to_string(::getpid());
};

inline const std::string kMetrics = "metrics: [{name: time, value: instructions}]\n";

}  // namespace etalon::tools
