/** A real etcd and a real API server of Kubernetes on loopback, for tests. */
@Export
@Version("0.1.0")
package dev.holdfast.kube.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
