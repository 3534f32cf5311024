// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "isa/base/check.h"

namespace etalon {

/// Bad input, said so that the reader can mend it: what was wrong, the limit, the place, the way out.
struct Error {
  std::string message;
};

/// Success, or an Error. Faults of the simulated program are not Status: see sim/arch/fault.h.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  const Error& error() const {
    ETALON_CHECK(!ok(), "error() of a Status that is ok");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

/// A value, or the Error that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : value_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(value_); }
  const Error& error() const {
    ETALON_CHECK(!ok(), "error() of a Result that holds a value");
    return std::get<Error>(value_);
  }
  T& value() & {
    ETALON_CHECK(ok(), "value() of a Result that holds an error");
    return std::get<T>(value_);
  }
  const T& value() const& {
    ETALON_CHECK(ok(), "value() of a Result that holds an error");
    return std::get<T>(value_);
  }
  T value() && {
    ETALON_CHECK(ok(), "value() of a Result that holds an error");
    return std::get<T>(std::move(value_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> value_;
};

}  // namespace etalon

/// Returns the error of an expression of type Status from the enclosing function.
#define ETALON_RETURN_IF_ERROR(expression)                                              \
  do {                                                                                  \
    if (::etalon::Status status_ = (expression); !status_.ok()) return status_.error(); \
  } while (false)
