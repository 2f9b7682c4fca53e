/**
 * The network between simulated targets and hosts. It carries calls inside this process in place of
 * NVMe/TCP, so listeners need no ports.
 */
@Export
@Version("1.0.0")
package dev.holdfast.engine.spdk.simulator.fabric;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
