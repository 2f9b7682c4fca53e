package dev.holdfast.engine.export;

import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.StorageException;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A volume that its engine can export to hosts directly, bypassing this process. Its {@link
 * #device()} remains usable while hosts use an export.
 *
 * <p>An export accesses the same bytes as the device. Its permission ends with the opening: after
 * {@link #close} returns, and after a later opening of the volume returned, requests of hosts no
 * longer change the volume.
 *
 * @since 1.0
 */
@ConsumerType
public interface ExportingVolume extends OpenVolume {

  /**
   * Returns the supported protocols of exports, in lower case as in {@code Volume.spec.frontend},
   * for example {@code nbd} or {@code nvme}; never null, never empty, constant.
   */
  Set<String> protocols();

  /**
   * Exports the volume, or finds an existing export, also one of an opening that this opening
   * resumes or adopts. A repeated call with another request changes the hosts, the limits and the
   * access state without an interruption for hosts that remain permitted. Idempotent. Blocks.
   *
   * @param request properties of the export, not null
   * @return the export, never null; the same object for the same protocol and export name until it
   *     is closed
   * @throws StorageException UNSUPPORTED when the named protocol, limit, access state or form of
   *     host identity is not available; INVALID; BUSY while the export is held; IO. After a failure
   *     the export is unchanged
   */
  NativeExport export(ExportRequest request) throws StorageException;
}
