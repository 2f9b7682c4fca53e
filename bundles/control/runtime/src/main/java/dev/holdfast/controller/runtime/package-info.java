/** Runs reconcilers: informers, work queues, leases and events, over any store and any clock. */
@Export
@Version("0.1.0")
package dev.holdfast.controller.runtime;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
