package dev.holdfast.share;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.volume.InstanceState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a share.
 *
 * @param ownerID the node whose controller made the last claim
 * @param state state of the server
 * @param endpoint URI of the export, as nfs://HOST:PORT/VOLUME, while the share serves; otherwise
 *     empty
 * @param nodeID the node on which the server runs, or must be started or stopped; empty if all
 *     nodes have removed the share
 * @param epoch the last claim to serve
 * @param moving whether the server stops because the share moves to another node; clients then wait
 *     for the next server and receive no error
 * @param conditions observed aspects: Ready, with the cause why the share does not serve
 * @param clients addresses of the clients that have mounted the share, sorted, at most 256
 * @param serverVersion version of the server
 * @param inGrace whether clients reclaim their locks from a new server
 * @param restarts number of restarts of the server on the same node since restartsSince
 * @param restartsSince time of the first restart that counts
 * @param nextAttemptAt time of the next attempt; empty for an immediate attempt
 * @param repairedAt time of the last repair of the filesystem, which is tried once per node
 * @param failedNodes nodes on which the share failed recently
 * @param lastEndpoint endpoint of the last epoch that served
 * @param remountRequestedAt time at which the share served again at another endpoint after a
 *     failure, so that clients must mount it again; at most once in each epoch
 * @param trim outcome of the last trim
 * @param size size to which the filesystem was grown
 * @param observedGeneration generation of the spec that the server uses
 */
@RecordBuilder
public record ShareManagerStatus(
    String ownerID,
    InstanceState state,
    String endpoint,
    String nodeID,
    ShareEpoch epoch,
    boolean moving,
    List<Condition> conditions,
    List<String> clients,
    String serverVersion,
    boolean inGrace,
    int restarts,
    Optional<Instant> restartsSince,
    Optional<Instant> nextAttemptAt,
    Optional<Instant> repairedAt,
    List<FailedShareNode> failedNodes,
    String lastEndpoint,
    Optional<Instant> remountRequestedAt,
    RequestOutcome trim,
    Quantity size,
    long observedGeneration)
    implements ShareManagerStatusBuilder.With {
  /** The status of a share that never ran. */
  public static final ShareManagerStatus EMPTY = ShareManagerStatusBuilder.builder().build();

  /** Maximum number of entries of {@link #clients}. */
  public static final int MOST_CLIENTS = 256;

  /** Replaces null components by their defaults and copies the collections. */
  public ShareManagerStatus {
    ownerID = Defaults.text(ownerID);
    state = Defaults.or(state, InstanceState.STOPPED);
    endpoint = Defaults.text(endpoint);
    nodeID = Defaults.text(nodeID);
    epoch = Defaults.or(epoch, ShareEpoch.NONE);
    conditions = Defaults.list(conditions);
    clients = Defaults.list(clients);
    serverVersion = Defaults.text(serverVersion);
    restartsSince = Defaults.optional(restartsSince);
    nextAttemptAt = Defaults.optional(nextAttemptAt);
    repairedAt = Defaults.optional(repairedAt);
    failedNodes = Defaults.list(failedNodes);
    lastEndpoint = Defaults.text(lastEndpoint);
    remountRequestedAt = Defaults.optional(remountRequestedAt);
    trim = Defaults.or(trim, RequestOutcome.EMPTY);
    size = Defaults.or(size, Quantity.ZERO);
  }
}
