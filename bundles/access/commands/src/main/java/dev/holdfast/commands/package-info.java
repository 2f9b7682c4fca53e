/**
 * Commands of users, as operations over a resource store with typed results, and how a result is
 * shown. The command line and the Karaf shell are thin bindings of this package.
 */
@Export
@Version("0.1.0")
package dev.holdfast.commands;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
