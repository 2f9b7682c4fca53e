/** Reconcilers and the services that the runtime gives them. */
@Export
@Version("1.1.0")
package dev.holdfast.controller;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
