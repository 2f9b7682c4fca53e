package dev.holdfast.shell.internal;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/** A command about who belongs to the cluster: only the node that has the store decides. */
abstract class ClusterCommand extends StoreCommand {
  @Reference private BundleContext context;

  /** Something that a command does with the cluster. */
  interface Work<T> {
    T with(ClusterAccess cluster) throws StorageException;
  }

  <T> T inCluster(Work<T> work) throws StorageException {
    ServiceReference<ClusterAccess> found = context.getServiceReference(ClusterAccess.class);
    if (found == null) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "this node has joined a cluster: run the command on the node that has the store");
    }
    try {
      return work.with(context.getService(found));
    } finally {
      context.ungetService(found);
    }
  }

  /** Returns where other machines reach this node's API. */
  String server() {
    String address = context.getProperty("holdfast.advertised.address");
    String port = context.getProperty("holdfast.api.port");
    return (address == null ? "127.0.0.1" : address) + ":" + (port == null ? "7443" : port);
  }
}
