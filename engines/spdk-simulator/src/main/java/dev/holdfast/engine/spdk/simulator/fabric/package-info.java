/**
 * The network between simulated targets and hosts: which socket stands for an address, and the
 * associations of hosts that have keys, which are calls inside this process.
 */
@Export
@Version("1.0.0")
package dev.holdfast.engine.spdk.simulator.fabric;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
