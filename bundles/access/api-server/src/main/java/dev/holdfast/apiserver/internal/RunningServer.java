package dev.holdfast.apiserver.internal;

import dev.holdfast.access.AccessControl;
import dev.holdfast.apiserver.internal.auth.Authentication;
import dev.holdfast.apiserver.internal.auth.ClusterEndpoint;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.auth.RequestAdmission;
import dev.holdfast.apiserver.internal.auth.RequestReader;
import dev.holdfast.apiserver.internal.auth.ReviewedAccess;
import dev.holdfast.apiserver.internal.auth.SelfReviews;
import dev.holdfast.apiserver.internal.auth.UserCertificates;
import dev.holdfast.apiserver.internal.figures.ApiFigures;
import dev.holdfast.apiserver.internal.figures.ApiSeries;
import dev.holdfast.apiserver.internal.figures.MeasuredHandler;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.HttpListener;
import dev.holdfast.apiserver.internal.openapi.OpenApi;
import dev.holdfast.apiserver.internal.resources.DryRuns;
import dev.holdfast.apiserver.internal.resources.FieldGuard;
import dev.holdfast.apiserver.internal.resources.RequestBodies;
import dev.holdfast.apiserver.internal.resources.ResourceEndpoint;
import dev.holdfast.apiserver.internal.resources.ResourcePatches;
import dev.holdfast.apiserver.internal.resources.ResourceReads;
import dev.holdfast.apiserver.internal.resources.ResourceWrites;
import dev.holdfast.apiserver.internal.resources.ServedKinds;
import dev.holdfast.apiserver.internal.resources.ServerSideApply;
import dev.holdfast.apiserver.internal.resources.Views;
import dev.holdfast.apiserver.internal.resources.VolumeScale;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.ServerTls;
import dev.holdfast.http.TrustedProxies;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.json.fields.FieldOwnership;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Assembles the parts of a server. */
public final class RunningServer implements AutoCloseable {
  private final HttpListener listener;
  private final OpenStreams streams;
  private final ApiFigures figures;

  /**
   * Resources that the server shows.
   *
   * @param store contains the resources
   * @param kinds the served kinds; resources of other kinds remain in the store and are not found
   * @param extensions subresources of other bundles
   * @param access decides about requests for them
   * @param audit records requests for them
   * @param users users with certificates
   */
  record Content(
      ResourceStore store,
      KindCatalogue kinds,
      Extensions extensions,
      AccessControl access,
      AuditLog audit,
      UserCertificates users) {
    /** Returns content without subresources of other bundles, whose requests are not recorded. */
    static Content of(ResourceStore store, KindCatalogue kinds, AccessControl access) {
      return new Content(
          store, kinds, new Extensions(), access, new NoAuditLog(), UserCertificates.none());
    }
  }

  private RunningServer(HttpListener listener, OpenStreams streams, ApiFigures figures) {
    this.listener = listener;
    this.streams = streams;
    this.figures = figures;
  }

  /** Starts a server for one administrator, without nodes. */
  public static RunningServer start(
      InetSocketAddress address,
      SSLContext tls,
      String token,
      String version,
      ResourceStore store,
      AccessControl access)
      throws StorageException {
    KnownMembers members = new KnownMembers(token, false, Optional::empty);
    return start(address, tls, members, version, Content.of(store, KindCatalogue.load(), access));
  }

  /** Starts a server that nodes can join and use. */
  static RunningServer start(
      InetSocketAddress address,
      SSLContext tls,
      KnownMembers members,
      String version,
      Content content)
      throws StorageException {
    return start(address, tls, members, version, content, WatchSettings.DEFAULT);
  }

  static RunningServer start(
      InetSocketAddress address,
      SSLContext tls,
      KnownMembers members,
      String version,
      Content content,
      WatchSettings watches)
      throws StorageException {
    HttpLimits limits = HttpLimits.DEFAULT.withWrite(watches.writeLimit());
    return start(address, tls, members, version, content, watches, limits);
  }

  static RunningServer start(
      InetSocketAddress address,
      SSLContext tls,
      KnownMembers members,
      String version,
      Content content,
      WatchSettings watches,
      HttpLimits limits)
      throws StorageException {
    OpenStreams streams = new OpenStreams();
    ApiFigures figures = new ApiFigures();
    ApiHandler handler =
        new MeasuredHandler(
            handler(members, version, content, watches, streams, Clock.systemUTC()),
            figures,
            content.kinds(),
            System::nanoTime);
    ServerTls asking = new ServerTls(tls, content.users()::areAdmitted);
    try {
      return new RunningServer(
          new HttpListener(address, asking, handler, limits), streams, figures);
    } catch (BindException e) {
      throw new StorageException(
          ErrorCode.BUSY,
          "the API server cannot listen at "
              + address
              + ": "
              + e.getMessage()
              + "; set holdfast.api.port to a free port, or end what uses this one",
          e);
    } catch (IOException e) {
      throw StorageException.io("start the API server at " + address, e);
    }
  }

  /** Returns the handler without HTTP. */
  static ApiHandler handler(
      KnownMembers members,
      String version,
      Content content,
      WatchSettings watches,
      OpenStreams streams,
      Clock clock) {
    ResourceStore store = content.store();
    AccessControl access = new ReviewedAccess(content.access(), content.extensions()::clusterUsers);
    ResourceJson json = new ResourceJson();
    RequestBodies bodies = new RequestBodies(json);
    ServedKinds kinds = new ServedKinds(content.kinds(), json);
    RequestReader.Objects objects = new ResourceObjects(bodies, kinds, store);
    return new Router(
        new Router.Access(
            new RequestAdmission(
                authentication(members, content, access, clock),
                access,
                new RequestReader(objects)),
            new RequestAudit(content.audit(), clock),
            streams,
            new SelfReviews(access, objects),
            new ClusterEndpoint(members)),
        content.extensions(),
        new ServerInfo(store, version, members),
        new OpenApi(version, content.kinds()),
        resources(store, json, bodies, new FieldGuard(access), watches, clock),
        content.kinds(),
        kinds,
        json);
  }

  private static Authentication authentication(
      KnownMembers members, Content content, AccessControl access, Clock clock) {
    return new Authentication(
        members,
        access,
        content.extensions()::browserCredential,
        content.extensions()::identityProvider,
        content.extensions()::clusterUsers,
        content.users(),
        clock);
  }

  private static ResourceEndpoint resources(
      ResourceStore store,
      ResourceJson json,
      RequestBodies bodies,
      FieldGuard guard,
      WatchSettings watches,
      Clock clock) {
    Views views = new Views(clock);
    DryRuns dryRuns = new DryRuns(store, clock);
    FieldOwnership ownership = new FieldOwnership(json);
    ResourceWrites writes =
        new ResourceWrites(store, bodies, views, dryRuns, ownership, guard, clock);
    ResourcePatches patches = new ResourcePatches(store, bodies, writes, views);
    return new ResourceEndpoint(
        new ResourceReads(store, views, watches),
        writes,
        patches,
        new ServerSideApply(store, bodies, dryRuns, views, ownership, guard, clock),
        new VolumeScale(store, bodies, writes, patches));
  }

  /** Returns the source of the server's metrics. */
  MetricSource metrics() {
    return ApiSeries.source(figures, listener::refusals);
  }

  /** Returns the port that it listens at. */
  public int port() {
    return listener.port();
  }

  /** Trusts these proxies from the next request on. */
  void trust(TrustedProxies proxies) {
    listener.trust(proxies);
  }

  @Override
  public void close() {
    listener.close();
    streams.close();
  }
}
