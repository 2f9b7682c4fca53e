package dev.holdfast.upgrade;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Finds bundles that hang, fail or are refused. Registered as an OSGi service by each part that
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
   * Returns what is wrong at this moment; what is over is not among it. To be asked every few
   * seconds: some of it is found by comparing with what was seen at the last call.
   *
   * @return a copy, never null
   */
  List<BundleTrouble> troubles();
}
