package dev.holdfast.engine.export;

import java.util.Objects;
import java.util.Optional;

/**
 * A host that may use an export.
 *
 * @param identity name of the host in the protocol: the NQN of NVMe, the name in a certificate;
 *     empty for the engine's host; not null
 * @param hostKey authenticates the host to the export, not null
 * @param controllerKey authenticates the export to the host, not null
 * @param tlsKey pre-shared key of TLS, not null
 * @since 1.0
 */
public record ExportHost(
    String identity,
    Optional<ExportKey> hostKey,
    Optional<ExportKey> controllerKey,
    Optional<ExportKey> tlsKey) {
  /** The host on which the engine runs. */
  public static final ExportHost LOCAL =
      new ExportHost("", Optional.empty(), Optional.empty(), Optional.empty());

  /** Rejects null components. */
  public ExportHost {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(hostKey, "hostKey");
    Objects.requireNonNull(controllerKey, "controllerKey");
    Objects.requireNonNull(tlsKey, "tlsKey");
  }
}
