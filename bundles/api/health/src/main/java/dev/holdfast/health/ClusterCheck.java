package dev.holdfast.health;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Looks for things that are wrong. Register an implementation as an OSGi service. A plugin begins
 * its codes with a word of its own, for example {@code RAID_}. Thread-safe.
 */
@ConsumerType
public interface ClusterCheck {
  /**
   * Returns what is wrong now. Asked for each report; a check that throws or takes longer than 5 s
   * becomes the finding {@code CHECK_FAILED}.
   *
   * @return a copy, never null; empty when all is well
   * @throws StorageException when the check cannot find out
   */
  List<HealthFinding> findings() throws StorageException;
}
