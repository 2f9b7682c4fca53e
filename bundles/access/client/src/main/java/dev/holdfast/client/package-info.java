/**
 * Operations of users over a resource store, with typed requests and results. The package prints
 * nothing and runs no program of the host.
 */
@Export
@Version("0.1.0")
package dev.holdfast.client;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
