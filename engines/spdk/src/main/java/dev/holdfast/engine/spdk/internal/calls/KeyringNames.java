package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * Names in the keyring of the target of the keys of one host; empty for none.
 *
 * @param host proves the host, not null
 * @param controller proves the target to the host, not null
 * @param tls pre-shared key of TLS, not null
 */
public record KeyringNames(String host, String controller, String tls) {
  /** A host without keys. */
  public static final KeyringNames NONE = new KeyringNames("", "", "");

  /** Returns the names, the empty ones too. */
  public List<String> names() {
    return List.of(host, controller, tls);
  }

  /** Returns whether the other keys can take the place of these while the host is connected. */
  public boolean isReplaceableBy(KeyringNames next) {
    return !host.isEmpty()
        && !next.host.isEmpty()
        && controller.isEmpty() == next.controller.isEmpty()
        && tls.equals(next.tls);
  }

  void describeAuthentication(ObjectNode params) {
    if (!host.isEmpty()) {
      params.put("dhchap_key", host);
    }
    if (!controller.isEmpty()) {
      params.put("dhchap_ctrlr_key", controller);
    }
  }

  void describe(ObjectNode params) {
    describeAuthentication(params);
    if (!tls.isEmpty()) {
      params.put("psk", tls);
    }
  }
}
