package dev.holdfast.upgrade;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Parts of one kind that can be replaced during use. Registered as an OSGi service by the bundle
 * that moves the work: the portal for frontends, the node for engines.
 *
 * <p>Two bundles may serve the same name at the same time. The work moves to the bundle with the
 * higher version, and moves back if that bundle stops or fails to take over.
 *
 * <p>Thread-safe. No method blocks or throws.
 */
@ProviderType
public interface ReplaceableParts {

  /** The kind of frontends. */
  String FRONTEND = "frontend";

  /** The kind of engines. */
  String ENGINE = "engine";

  /** Returns the kind of these parts: {@link #FRONTEND}, {@link #ENGINE}; never null. */
  String kind();

  /**
   * Returns the present state, one entry per name.
   *
   * @return a copy, in the order of the names, never null; it contains a part as long as a bundle
   *     offers it or work waits for it
   */
  List<ReplaceablePart> parts();
}
