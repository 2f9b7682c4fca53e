package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import java.util.Arrays;

/** An address of a subsystem, with an access state for each group. Thread-safe. */
final class Listener {
  static final int GROUPS = 32;

  private final FabricAddress address;
  private final boolean secure;
  private final AnaState[] states = new AnaState[GROUPS];

  Listener(FabricAddress address, boolean secure, AnaState state) {
    this.address = address;
    this.secure = secure;
    Arrays.fill(states, state);
  }

  FabricAddress address() {
    return address;
  }

  boolean isSecure() {
    return secure;
  }

  synchronized AnaState state(int group) {
    return states[group - 1];
  }

  /** Sets the state of a group, of all groups for 0. */
  synchronized void set(int group, AnaState state) {
    if (group == 0) {
      Arrays.fill(states, state);
    } else {
      states[group - 1] = state;
    }
  }

  static void describe(FabricAddress address, ObjectNode entry) {
    entry.put("trtype", address.transport()).put("adrfam", address.family());
    entry.put("traddr", address.address()).put("trsvcid", address.port());
  }

  synchronized void describe(ObjectNode entry, boolean anaReporting) {
    describe(address, entry.putObject("address"));
    if (anaReporting) {
      ArrayNode list = entry.putArray("ana_states");
      for (int group = 1; group <= GROUPS; group++) {
        list.addObject().put("ana_group", group).put("ana_state", states[group - 1].label());
      }
    }
  }
}
