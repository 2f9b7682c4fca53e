/**
 * Frontends: block protocols by which hosts reach volumes. A plugin implements {@link
 * dev.holdfast.frontend.FrontendProvider}, or {@link dev.holdfast.frontend.ReplaceableFrontend} to
 * be replaced under I/O; the portal owns every socket.
 */
@Export
@Version("2.2.0")
package dev.holdfast.frontend;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
