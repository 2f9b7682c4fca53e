/**
 * Processes of plugins that outlive the container: started, recorded, adopted after a restart of
 * the container, watched, restarted and stopped.
 */
@Export
@Version("1.0.0")
package dev.holdfast.processes;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
