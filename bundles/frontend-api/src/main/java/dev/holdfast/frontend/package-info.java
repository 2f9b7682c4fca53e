/**
 * Frontends: how a host reaches a volume. A plugin implements {@link
 * dev.holdfast.frontend.Frontend}; the portal owns every socket.
 */
@Export
@Version("1.1.0")
package dev.holdfast.frontend;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
