/** Hosts for tests: a virtual machine with a real kernel, and a host that fails or crashes. */
@Export
@Version("0.1.0")
package dev.holdfast.vm.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
