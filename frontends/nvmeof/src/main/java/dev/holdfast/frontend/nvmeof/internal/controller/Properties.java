package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.page.ControllerPage;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;

/**
 * The property registers of a controller for fabrics. Not thread-safe: guarded by the controller.
 */
final class Properties {
  private static final int CAPABILITIES = 0x00;
  private static final int VERSION = 0x08;
  private static final int CONFIGURATION = 0x14;
  private static final int STATE = 0x1c;

  private static final int ENABLE = 1;
  private static final int SHUTDOWN_NOTICE = 3 << 14;
  private static final int READY = 1;
  private static final int FATAL = 1 << 1;
  private static final int SHUT_DOWN = 2 << 2;
  private static final int COMMAND_SET = 0x70;
  private static final int ALL_COMMAND_SETS = 0x60;
  private static final int PAGE_AND_ARBITRATION = 0x3f80;

  private static final long CONTIGUOUS = 1L << 16;
  private static final long READY_WITHIN_15_S = 30L << 24;
  private static final long NVM_COMMAND_SET = 1L << 37;

  private int configuration;
  private int state;

  boolean ready() {
    return (state & (READY | FATAL)) == READY;
  }

  void fail() {
    state |= FATAL;
  }

  long get(int offset, boolean eight) throws RefusedException {
    if (offset == CAPABILITIES && eight) {
      return (Limits.ENTRIES - 1) | CONTIGUOUS | READY_WITHIN_15_S | NVM_COMMAND_SET;
    }
    if (!eight) {
      switch (offset) {
        case VERSION -> {
          return ControllerPage.VERSION;
        }
        case CONFIGURATION -> {
          return configuration & 0xffffffffL;
        }
        case STATE -> {
          return state;
        }
        default -> {
          // Refused below, like every property of another size.
        }
      }
    }
    throw new RefusedException(Status.INVALID_FIELD, "no property at " + offset);
  }

  /**
   * Sets a property; only the configuration can be set.
   *
   * @return whether the controller was enabled before and is disabled now
   */
  boolean set(int offset, boolean eight, long value) throws RefusedException {
    if (offset != CONFIGURATION || eight) {
      throw new RefusedException(Status.INVALID_FIELD, "the property at " + offset + " is fixed");
    }
    int next = (int) value;
    boolean was = ready();
    if ((next & ENABLE) != 0 && !supported(next)) {
      throw new RefusedException(
          Status.INVALID_FIELD, "only the NVM command set and pages of 4 KiB are there");
    }
    configuration = next;
    if ((next & ENABLE) == 0) {
      state = 0;
    } else if ((state & FATAL) == 0) {
      state = READY;
    }
    if ((next & SHUTDOWN_NOTICE) != 0) {
      state |= SHUT_DOWN;
    }
    return was && (!ready() || (next & SHUTDOWN_NOTICE) != 0);
  }

  /**
   * Returns whether a configuration can be enabled. Hosts that do not read the capabilities request
   * all supported I/O command sets, which means the NVM command set.
   */
  private static boolean supported(int configuration) {
    int sets = configuration & COMMAND_SET;
    return (sets == 0 || sets == ALL_COMMAND_SETS) && (configuration & PAGE_AND_ARBITRATION) == 0;
  }

  String text() {
    return configuration + " " + state;
  }

  static Properties resume(String text) {
    Properties properties = new Properties();
    String[] numbers = text.split(" ", -1);
    if (numbers.length == 2) {
      properties.configuration = Integer.parseInt(numbers[0]);
      properties.state = Integer.parseInt(numbers[1]);
    }
    return properties;
  }
}
