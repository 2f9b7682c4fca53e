package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import javax.net.ssl.TrustManager;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.http.apache.ProxyConfiguration;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The SDK's clients of one target, over the same connections.
 *
 * @param repeating tries a request up to three times; for requests that have the same effect twice
 * @param single tries once; for conditional requests, whose repetition could fail by its own first
 *     effect
 * @param request time limit for one call without the transfer of its content
 * @param owned what is closed with them
 */
record S3Clients(
    S3Client repeating, S3Client single, Duration request, List<SdkAutoCloseable> owned)
    implements AutoCloseable {
  private static final int ATTEMPTS = 3;
  private static final Duration IDLE = Duration.ofSeconds(30);

  /** A transfer that is slower than this many bytes per second ends by its time limit. */
  private static final long SLOWEST = 128 << 10;

  static S3Clients create(S3Address address, S3Access access, StoreOptions options)
      throws StorageException {
    SdkHttpClient http = http(address, access, options);
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "s3-deadlines-" + address.bucket());
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    AwsCredentialsProvider credentials = credentials(access);
    S3Client repeating = client(address, access, http, timer, credentials, ATTEMPTS);
    S3Client single = client(address, access, http, timer, credentials, 1);
    return new S3Clients(
        repeating,
        single,
        options.request(),
        List.of(repeating, single, http, timer::shutdownNow, closing(credentials)));
  }

  private static SdkAutoCloseable closing(AwsCredentialsProvider credentials) {
    return credentials instanceof SdkAutoCloseable open ? open : () -> {};
  }

  private static SdkHttpClient http(S3Address address, S3Access access, StoreOptions options)
      throws StorageException {
    ApacheHttpClient.Builder builder =
        ApacheHttpClient.builder()
            .connectionTimeout(options.connect())
            .socketTimeout(options.request())
            .connectionAcquisitionTimeout(options.request())
            .maxConnections(options.connections())
            .connectionMaxIdleTime(IDLE)
            // Its thread would be shared by all clients and hold this bundle's classes.
            .useIdleConnectionReaper(false)
            .proxyConfiguration(proxy(address, access));
    if (!access.certificates().isEmpty()) {
      TrustManager[] trusted = TrustedCertificates.with(access.certificates());
      builder.tlsTrustManagersProvider(() -> trusted);
    }
    return builder.build();
  }

  private static ProxyConfiguration proxy(S3Address address, S3Access access) {
    ProxyConfiguration.Builder builder =
        ProxyConfiguration.builder()
            .useSystemPropertyValues(false)
            .useEnvironmentVariableValues(false);
    boolean tls = access.endpoint().map(uri -> "https".equals(uri.getScheme())).orElse(true);
    String host =
        access.endpoint().map(URI::getHost).orElse("s3." + address.region() + ".amazonaws.com");
    access
        .proxies()
        .forServer(tls, host)
        .ifPresent(
            proxy -> {
              builder.endpoint(
                  URI.create(
                      proxy.getScheme()
                          + "://"
                          + proxy.getHost()
                          + (proxy.getPort() < 0 ? "" : ":" + proxy.getPort())));
              String user = proxy.getUserInfo();
              if (user != null) {
                int colon = user.indexOf(':');
                builder
                    .username(colon < 0 ? user : user.substring(0, colon))
                    .password(colon < 0 ? "" : user.substring(colon + 1))
                    .preemptiveBasicAuthenticationEnabled(true);
              }
            });
    return builder.build();
  }

  private static AwsCredentialsProvider credentials(S3Access access) {
    if (access.keys().isEmpty()) {
      return DefaultCredentialsProvider.builder().build();
    }
    S3Access.Keys keys = access.keys().get();
    return StaticCredentialsProvider.create(
        keys.token().isEmpty()
            ? AwsBasicCredentials.create(keys.id(), keys.secret())
            : AwsSessionCredentials.create(keys.id(), keys.secret(), keys.token()));
  }

  private static S3Client client(
      S3Address address,
      S3Access access,
      SdkHttpClient http,
      ScheduledExecutorService timer,
      AwsCredentialsProvider credentials,
      int attempts) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClient(http)
            .region(Region.of(address.region()))
            .credentialsProvider(credentials)
            // Checksums in trailers are unknown to many servers; TLS and the hashes of blocks guard
            // the content.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            // Deletions need a checksum, and each server knows MD5.
            .addPlugin(LegacyMd5Plugin.create())
            .serviceConfiguration(S3Configuration.builder().chunkedEncodingEnabled(false).build())
            .forcePathStyle(access.endpoint().isPresent() && !access.virtualHosted())
            .overrideConfiguration(
                ClientOverrideConfiguration.builder()
                    // Only the target's secret counts, not the files of the host's user.
                    .defaultProfileFile(ProfileFile.aggregator().build())
                    .scheduledExecutorService(timer)
                    .retryStrategy(strategy -> strategy.maxAttempts(attempts))
                    .build());
    access.endpoint().ifPresent(builder::endpointOverride);
    return builder.build();
  }

  /** Returns the time limit of a call that transfers this many bytes, with its repetitions. */
  Duration limit(long bytes) {
    return request.plusSeconds(bytes / SLOWEST);
  }

  @Override
  public void close() {
    owned.forEach(SdkAutoCloseable::close);
  }
}
