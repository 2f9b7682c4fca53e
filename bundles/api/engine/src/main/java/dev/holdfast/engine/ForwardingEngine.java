package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine whose volumes can be served on a second node while one node has them open, so that they
 * move in use. The second node never touches a replica: it passes every request on to the first. An
 * engine that declares {@link EngineCapability#MULTI_NODE} admits any number of nodes.
 *
 * <pre>
 *   client on the second node ──► {@link #forward} ──► {@link #admit} ──► open volume ──► replicas
 * </pre>
 */
@ConsumerType
public interface ForwardingEngine extends EngineProvider {

  /**
   * Admits the engine of another node to forward requests to a volume that this node has open. A
   * node that is not admitted is refused.
   *
   * @param volume name of the volume, not null
   * @param node the admitted one, not null
   * @param device takes its requests; used, not closed, and open until the admission is closed; not
   *     null
   * @return ends it when closed, never null
   * @throws StorageException BUSY while this node is admitted, or another one and the engine does
   *     not declare {@link EngineCapability#MULTI_NODE}; UNREACHABLE when this engine cannot be
   *     reached from other nodes at the moment
   */
  Admission admit(String volume, String node, BlockDevice device) throws StorageException;

  /**
   * Serves a volume by passing requests on to the node that has it open. Every request is kept
   * until it is answered: when the connection is lost, or that node does not let this one in any
   * more, requests wait without an error, and are sent again, until the volume is redirected or
   * closed. Blocks until the other node was reached once.
   *
   * @param request what to forward, not null
   * @return the volume, never null; the caller closes it
   * @throws StorageException UNREACHABLE or TIMEOUT when the other node cannot be reached,
   *     FORBIDDEN when it does not admit this one, or not yet
   */
  ForwardedVolume forward(ForwardRequest request) throws StorageException;
}
