package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.link.NetworkLinks;
import dev.holdfast.rpc.NodeChannels;
import java.io.IOException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Gives the engine its way to replicas and volumes on other nodes while calls to them are possible.
 */
@Component(
    immediate = true,
    service = {})
public final class ReplicaTransport {
  private final SparseEngine engine;
  private final NetworkLinks links;

  /** Opens the way. */
  @Activate
  public ReplicaTransport(@Reference SparseEngine engine, @Reference NodeChannels channels)
      throws IOException {
    this.engine = engine;
    this.links = new NetworkLinks(channels);
    engine.links().arrived(links);
    engine.volumeLinks().arrived(links);
  }

  /** Closes the way; links that stand are lost. */
  @Deactivate
  public void stop() {
    engine.volumeLinks().left(links);
    engine.links().left(links);
    links.close();
  }
}
