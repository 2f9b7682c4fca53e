package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.internal.forward.VolumeServer;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Lets other nodes pass requests on to volumes that this node has open. Thread-safe. */
@Component(service = BindableService.class)
public final class VolumeService implements BindableService {
  private final VolumeServer server;

  /** Serves the open volumes of an engine. */
  @Activate
  public VolumeService(@Reference LvmEngine engine) {
    this.server = new VolumeServer(engine.admitted());
  }

  @Override
  public ServerServiceDefinition bindService() {
    return server.bindService();
  }
}
