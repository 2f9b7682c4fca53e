package dev.holdfast.health;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A health check. Register an implementation as an OSGi service. A plugin uses its own prefix for
 * its codes, for example {@code RAID_}. Thread-safe.
 */
@ConsumerType
public interface ClusterCheck {
  /**
   * Returns the present problems. Called for each report; a check that throws or takes longer than
   * 5 s causes the finding {@code CHECK_FAILED}.
   *
   * @return a copy, never null; empty if all is well
   * @throws StorageException when the check cannot determine the state
   */
  List<HealthFinding> findings() throws StorageException;
}
