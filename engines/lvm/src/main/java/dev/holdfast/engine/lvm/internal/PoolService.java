package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.internal.peers.PoolServer;
import dev.holdfast.error.StorageException;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Lets the other nodes of shared groups ask this one for its steps. Thread-safe. */
@Component(service = BindableService.class)
public final class PoolService implements BindableService, PoolServer.Pools {
  private final LvmEngine engine;
  private final SharedServices services;
  private final PoolServer server = new PoolServer(this);

  /** Serves the groups of an engine. */
  @Activate
  public PoolService(@Reference LvmEngine engine, @Reference SharedServices services) {
    this.engine = engine;
    this.services = services;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return server.bindService();
  }

  @Override
  public void advance(String group, String pool) throws StorageException {
    services.restoreExports();
    engine.shared(services.node(), group).advance(group, pool);
  }

  @Override
  public void perform(BlobCall call) throws StorageException {
    engine.shared(services.node(), call.blob().group()).perform(call);
  }
}
