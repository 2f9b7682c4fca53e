/**
 * State of the plugins' bundles. The parts of the platform that call plugins report it: the portal
 * for frontends, the node for engines. The upgrader reads {@link
 * dev.holdfast.upgrade.ReplaceableParts}. {@link dev.holdfast.upgrade.BundleTroubles} lists the
 * bundles that hang, fail or offer a name of another bundle ({@link
 * dev.holdfast.upgrade.PluginOwners}).
 */
@Export
@Version("1.2.0")
package dev.holdfast.upgrade;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
