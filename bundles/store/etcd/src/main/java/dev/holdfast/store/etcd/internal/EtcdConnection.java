package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.CompactionRequest;
import dev.holdfast.etcd.v3.KVGrpc;
import dev.holdfast.etcd.v3.RangeRequest;
import dev.holdfast.etcd.v3.RangeResponse;
import dev.holdfast.etcd.v3.TxnRequest;
import dev.holdfast.etcd.v3.TxnResponse;
import dev.holdfast.etcd.v3.WatchGrpc;
import dev.holdfast.etcd.v3.WatchRequest;
import dev.holdfast.etcd.v3.WatchResponse;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls to the members of an etcd cluster: to one of them until it fails, then to the next. Reads
 * are tried at each member. A write that a member failed is not repeated, because it may have been
 * carried out. Thread-safe.
 */
final class EtcdConnection implements AutoCloseable {
  private static final long ANSWER_SECONDS = 10;
  private static final int LARGEST_MESSAGE = 256 << 20;
  private static final Metadata.Key<String> HAS_LEADER =
      Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

  private final List<ManagedChannel> members = new ArrayList<>();
  private final Optional<EtcdLogin> login;
  private final AtomicInteger current = new AtomicInteger();

  /**
   * Prepares a connection; connects at the first use.
   *
   * @throws StorageException INVALID when a certificate or key is unusable
   */
  EtcdConnection(EtcdSettings settings) throws StorageException {
    login = settings.login().map(user -> new EtcdLogin(user.name(), user.password()));
    for (URI endpoint : settings.endpoints()) {
      NettyChannelBuilder channel =
          NettyChannelBuilder.forAddress(endpoint.getHost(), endpoint.getPort())
              .maxInboundMessageSize(LARGEST_MESSAGE)
              .keepAliveTime(10, TimeUnit.SECONDS)
              .keepAliveTimeout(5, TimeUnit.SECONDS);
      if (settings.isSecure()) {
        channel.sslContext(EtcdTls.context(settings));
      } else {
        channel.negotiationType(NegotiationType.PLAINTEXT);
      }
      members.add(channel.build());
    }
  }

  private interface Call<T> {
    T on(Channel member);
  }

  /** Reads keys consistently, at a revision not older than the call. */
  RangeResponse range(RangeRequest request) throws StorageException {
    StorageException last =
        new StorageException(ErrorCode.UNREACHABLE, "the etcd cluster has no members");
    for (int i = 0; i < members.size(); i++) {
      try {
        return call(member -> keys(member).range(request));
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.TIMEOUT) {
          throw e;
        }
        last = e;
      }
    }
    throw last;
  }

  /** Writes if the comparisons hold. */
  TxnResponse transact(TxnRequest request) throws StorageException {
    return call(member -> keys(member).txn(request));
  }

  /** Compacts the history before a revision; EXPIRED when it is already compacted. */
  void compact(long revision) throws StorageException {
    CompactionRequest request = CompactionRequest.newBuilder().setRevision(revision).build();
    call(member -> keys(member).compact(request));
  }

  private static KVGrpc.KVBlockingStub keys(Channel member) {
    return KVGrpc.newBlockingStub(member).withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS);
  }

  private <T> T call(Call<T> call) throws StorageException {
    int index = current.get();
    try {
      return attempt(members.get(index), call);
    } catch (StatusRuntimeException e) {
      StorageException failure = EtcdErrors.of(e);
      if (failure.code() == ErrorCode.UNREACHABLE || failure.code() == ErrorCode.TIMEOUT) {
        current.compareAndSet(index, (index + 1) % members.size());
      }
      throw failure;
    }
  }

  /**
   * A request refused because of an expired token was not carried out: it is sent again with a new
   * one.
   */
  private <T> T attempt(Channel member, Call<T> call) throws StorageException {
    if (login.isEmpty()) {
      return call.on(member);
    }
    String token = login.get().token(member);
    try {
      return call.on(EtcdLogin.with(token, member));
    } catch (StatusRuntimeException e) {
      if (!EtcdLogin.isForgotten(e)) {
        throw e;
      }
      login.get().forget(token);
      return call.on(EtcdLogin.with(login.get().token(member), member));
    }
  }

  /**
   * Opens a stream of changes, which ends when its member has no leader. With an expired token the
   * watch ends immediately, and the next request gets a new token.
   */
  ClientCallStreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> events)
      throws StorageException {
    Metadata headers = new Metadata();
    headers.put(HAS_LEADER, "true");
    Channel member = members.get(current.get());
    if (login.isPresent()) {
      member = EtcdLogin.with(login.get().token(member), member);
    }
    return (ClientCallStreamObserver<WatchRequest>)
        WatchGrpc.newStub(member)
            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
            .watch(events);
  }

  @Override
  public void close() {
    members.forEach(ManagedChannel::shutdownNow);
  }
}
