package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.AuthGrpc;
import dev.holdfast.etcd.v3.AuthenticateRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Login to an etcd that authenticates users by password. The token for a password is valid for
 * minutes and for all members. When it has expired, the password is read and sent again.
 * Thread-safe.
 */
final class EtcdLogin {
  private static final long ANSWER_SECONDS = 10;
  private static final Metadata.Key<String> TOKEN =
      Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

  private final String user;
  private final Path password;
  private Optional<String> token = Optional.empty();

  EtcdLogin(String user, Path password) {
    this.user = user;
    this.password = password;
  }

  /** Returns the token; requests one when none is cached. */
  synchronized String token(Channel member) throws StorageException {
    if (token.isEmpty()) {
      token = Optional.of(authenticate(member));
    }
    return token.get();
  }

  /** Removes a token that etcd rejected; the next request gets a new one. */
  synchronized void forget(String refused) {
    token = token.filter(current -> !current.equals(refused));
  }

  /** Returns a channel that sends a token with each request. */
  static Channel with(String token, Channel member) {
    Metadata headers = new Metadata();
    headers.put(TOKEN, token);
    return ClientInterceptors.intercept(member, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /**
   * Returns whether a request was refused, without being carried out, because of an expired token.
   */
  static boolean isForgotten(StatusRuntimeException refusal) {
    String said = String.valueOf(refusal.getStatus().getDescription());
    return said.contains("invalid auth token") || said.contains("revision of auth store is old");
  }

  private String authenticate(Channel member) throws StorageException {
    AuthenticateRequest request =
        AuthenticateRequest.newBuilder().setName(user).setPassword(secret()).build();
    try {
      return AuthGrpc.newBlockingStub(member)
          .withDeadlineAfter(ANSWER_SECONDS, TimeUnit.SECONDS)
          .authenticate(request)
          .getToken();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.INVALID_ARGUMENT) {
        throw new StorageException(
            ErrorCode.FORBIDDEN,
            "etcd rejects the password in " + password + " for the user " + user,
            e);
      }
      throw EtcdErrors.of(e);
    }
  }

  private String secret() throws StorageException {
    try {
      return Files.readString(password).strip();
    } catch (IOException e) {
      throw StorageException.io("read " + password, e);
    }
  }
}
