/**
 * What the parts of the platform that move work between bundles tell about it: the portal about
 * frontends, the node about engines. {@link dev.holdfast.upgrade.ReplaceableParts} is read by what
 * replaces bundles; {@link dev.holdfast.upgrade.BundleTroubles} tells which ones hang or fail.
 */
@Export
@Version("1.1.0")
package dev.holdfast.upgrade;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
