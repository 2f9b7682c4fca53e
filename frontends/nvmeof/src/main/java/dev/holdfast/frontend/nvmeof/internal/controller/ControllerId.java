package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;

/**
 * Identifies a controller.
 *
 * @param subsystem NQN of the subsystem
 * @param number number of the controller in the subsystem
 */
public record ControllerId(String subsystem, int number) {
  public boolean discovery() {
    return subsystem.equals(NvmeNames.DISCOVERY);
  }

  // Written by hand: Java caches the class of a record that the generated method compared last, and
  // the cache would keep a replaced bundle in memory.
  @Override
  public boolean equals(Object other) {
    return other instanceof ControllerId id
        && number == id.number
        && subsystem.equals(id.subsystem);
  }

  @Override
  public int hashCode() {
    return 31 * subsystem.hashCode() + number;
  }

  @Override
  public String toString() {
    return subsystem + " controller " + number;
  }
}
