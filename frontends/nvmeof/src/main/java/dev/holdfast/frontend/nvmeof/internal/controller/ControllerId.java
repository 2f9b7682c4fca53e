package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;

/**
 * Which controller of which subsystem.
 *
 * @param subsystem its NQN
 * @param number of the controller in it
 */
public record ControllerId(String subsystem, int number) {
  public boolean discovery() {
    return subsystem.equals(NvmeNames.DISCOVERY);
  }

  // Written out, because Java keeps the class of a record whose own method compared it last, and so
  // would keep a bundle that was replaced.
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
