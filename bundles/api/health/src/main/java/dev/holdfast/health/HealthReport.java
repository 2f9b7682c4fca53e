package dev.holdfast.health;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** The findings of all checks of this node and of the resources of the cluster. Thread-safe. */
@ProviderType
public interface HealthReport {
  /**
   * Returns the present problems, errors first, then by code and objects. May block as long as the
   * store and the checks do.
   *
   * @return never null; empty if all is well
   */
  List<HealthFinding> findings();
}
