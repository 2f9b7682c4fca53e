package dev.holdfast.engine.spdk.simulator.internal.nvmf;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A host that a subsystem admits. Keys are names of the keyring, empty for none.
 *
 * @param nqn of the host
 * @param key by which the host proves itself
 * @param controllerKey by which the controller proves itself
 * @param psk of TLS
 */
public record SubsystemHost(String nqn, String key, String controllerKey, String psk) {
  void describe(ObjectNode entry) {
    entry.put("nqn", nqn);
    if (!key.isEmpty()) {
      entry.put("dhchap_key", key);
    }
    if (!controllerKey.isEmpty()) {
      entry.put("dhchap_ctrlr_key", controllerKey);
    }
  }
}
