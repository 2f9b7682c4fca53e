package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine whose volumes can be served on a second node while one node has them open, so that they
 * can move during use. The second node does not access replicas; it forwards every request to the
 * first node. An engine that declares {@link EngineCapability#MULTI_NODE} admits any number of
 * nodes.
 *
 * <pre>
 *   client on the second node ──► {@link #forward} ──► {@link #admit} ──► open volume ──► replicas
 * </pre>
 */
@ConsumerType
public interface ForwardingEngine extends EngineProvider {

  /**
   * Permits the engine of another node to forward requests to a volume that is open on this node.
   * Requests of other nodes are rejected.
   *
   * @param volume name of the volume, not null
   * @param node the admitted node, not null
   * @param device receives the requests; the caller keeps it open until the admission is closed and
   *     closes it itself; not null
   * @return the admission, which its close ends; never null
   * @throws StorageException BUSY while this node is admitted, or another one and the engine does
   *     not declare {@link EngineCapability#MULTI_NODE}; UNREACHABLE when other nodes cannot reach
   *     this engine at present
   */
  Admission admit(String volume, String node, BlockDevice device) throws StorageException;

  /**
   * Serves a volume by forwarding requests to the node on which it is open. Keeps each request
   * until its answer arrives. If the connection is lost or the other node withdraws the admission,
   * requests wait without an error and are sent again until the volume is redirected or closed.
   * Blocks until the other node was reached once.
   *
   * @param request the volume and the other node, not null
   * @return the volume, never null; the caller closes it
   * @throws StorageException UNREACHABLE or TIMEOUT when the other node cannot be reached,
   *     FORBIDDEN while it does not admit this node
   */
  ForwardedVolume forward(ForwardRequest request) throws StorageException;
}
