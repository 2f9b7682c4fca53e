package dev.holdfast.engine.export;

import java.util.Objects;
import java.util.Optional;

/**
 * A host that may use an export.
 *
 * @param identity how the protocol names hosts: the NQN of NVMe, the name in a certificate; empty
 *     for the host on which the engine runs; not null
 * @param hostKey proves the host to the export, not null
 * @param controllerKey proves the export to the host, not null
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

  /** Checks that nothing is missing. */
  public ExportHost {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(hostKey, "hostKey");
    Objects.requireNonNull(controllerKey, "controllerKey");
    Objects.requireNonNull(tlsKey, "tlsKey");
  }
}
