package dev.holdfast.engine.spdk.simulator.fabric;

import java.util.Objects;

/**
 * Identity of a host and the secrets that it presents. Secrets are texts; an empty one is absent.
 *
 * @param nqn name of the host, not null
 * @param key secret of DH-HMAC-CHAP by which the host proves itself, not null
 * @param controllerKey secret by which the controller proves itself, not null
 * @param psk pre-shared key of TLS, not null
 */
public record FabricHost(String nqn, String key, String controllerKey, String psk) {
  /** Checks that nothing is missing. */
  public FabricHost {
    Objects.requireNonNull(nqn, "nqn");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(controllerKey, "controllerKey");
    Objects.requireNonNull(psk, "psk");
  }

  /** Returns a host without secrets, never null. */
  public static FabricHost named(String nqn) {
    return new FabricHost(nqn, "", "", "");
  }
}
