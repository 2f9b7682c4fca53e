package dev.holdfast.upgrade;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Parts of one kind that can be replaced while they are in use. Registered as an OSGi service by
 * the bundle that moves the work: the portal for frontends, the node for engines.
 *
 * <p>Two bundles that serve the same name stand side by side: the work moves to the one with the
 * higher version; it moves back when that one goes or fails to take it over.
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
   * Returns how things stand now, one entry per name.
   *
   * @return a copy, in the order of the names, never null; a part stays in it as long as a bundle
   *     offers it or work waits for it
   */
  List<ReplaceablePart> parts();
}
