package dev.holdfast.itests.powercut;

/** By which promises of durability the requests of a life are covered. */
enum Barriers {
  FLUSHES,
  FUA,
  BOTH;

  boolean flushes() {
    return this != FUA;
  }

  boolean fua() {
    return this != FLUSHES;
  }
}
