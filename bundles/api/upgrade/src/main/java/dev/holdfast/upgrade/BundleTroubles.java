package dev.holdfast.upgrade;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Detects bundles that hang, fail or are rejected. Registered as an OSGi service by each part that
 * calls plugins: the portal for frontends, the node for engines, the attachment controller for
 * attachers, the runtime of controllers for reconcilers.
 *
 * <p>Thread-safe. No method blocks or throws.
 *
 * @since 1.1
 */
@ProviderType
public interface BundleTroubles {

  /**
   * Returns the present faults. Call this method every few seconds, because some faults are
   * detected by a comparison with the state at the last call.
   *
   * @return a copy, never null
   */
  List<BundleTrouble> troubles();
}
