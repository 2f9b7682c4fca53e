/** Fakes of an engine, a portal and controllers, for tests of the data path and its users. */
@Export
@Version("0.1.0")
package dev.holdfast.datapath.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
