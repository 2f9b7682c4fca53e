/**
 * Native exports: volumes that an engine exports to hosts directly, bypassing the process of the
 * platform. An open volume implements {@link dev.holdfast.engine.export.ExportingVolume}.
 */
@Export
@Version("1.0.0")
package dev.holdfast.engine.export;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
