package dev.holdfast.engine.export;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume that its engine can show to hosts itself, past this process. Its {@link #device()} works
 * all the same, also while hosts use an export.
 *
 * <p>An export reaches the same bytes as the device. What an export is allowed to do ends with the
 * opening: when {@link #close} returns, and when a later opening of the volume returned, no request
 * of a host changes the volume.
 *
 * @since 1.0
 */
@ConsumerType
public interface ExportingVolume extends OpenVolume {

  /**
   * Returns the protocols of the exports that this volume can have, in lower case as in {@code
   * Volume.spec.frontend}, for example {@code nbd} or {@code nvme}; never null, never empty, always
   * the same.
   */
  Set<String> protocols();

  /**
   * Shows the volume, or finds it already shown, also by an opening that this one resumes or
   * adopts. Calling it again with another request changes the hosts, the limits and the access
   * state without an interruption for hosts that stay allowed. Idempotent. Blocks.
   *
   * @param request how to show it, not null
   * @return the export, never null; the same object for the same protocol and export name until it
   *     is closed
   * @throws StorageException UNSUPPORTED, naming it, when the protocol, a limit, the access state
   *     or a way to identify a host is not available; INVALID; BUSY while the export is held; IO.
   *     After each of them the export is unchanged
   */
  NativeExport export(ExportRequest request) throws StorageException;
}
