/** A simulated SPDK target for tests: its control socket, its block devices and its exports. */
@Export
@Version("1.0.0")
package dev.holdfast.engine.spdk.simulator;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
