package dev.holdfast.backuptarget.s3.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses and secrets. */
class S3AccessTest {
  private static S3Access access(String... pairs) throws StorageException {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], pairs[i + 1]);
    }
    return S3Access.of(S3Server.credentials(values));
  }

  @Test
  void addressNamesBucketRegionAndRoot() throws Exception {
    assertThat(S3Address.of(TargetUrl.parse("s3://backups@eu-west-1/a/b/?volume=v")))
        .isEqualTo(new S3Address("backups", "eu-west-1", "a/b/"));
    assertThat(S3Address.of(TargetUrl.parse("s3://backups@eu-west-1/")).root()).isEmpty();
    assertThat(S3Address.of(TargetUrl.parse("s3://backups@eu-west-1")).root()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "s3://backups/, names no region: use s3://BUCKET@REGION/PATH/",
    "s3://BACKUPS@eu-west-1/, bucket \"BACKUPS\"",
    "s3://ab@eu-west-1/, 3 to 63",
    "s3://backups@EU/, region \"EU\"",
    "s3://backups@eu-west-1/a//b/, path",
    "s3://backups@eu-west-1/../b/, path",
    "s3://backups@eu-west-1/?volum=v, parameter \"volum\""
  })
  void wrongAddressIsNamed(String address, String message) {
    assertThatThrownBy(() -> S3Address.of(TargetUrl.parse(address)))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({
    "AWS_ACCESS_KEY_ID, planted, AWS_SECRET_ACCESS_KEY: missing beside AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY, planted, AWS_ACCESS_KEY_ID: missing beside AWS_SECRET_ACCESS_KEY",
    "AWS_ENDPOINTS, ftp://planted/, AWS_ENDPOINTS: expected one address",
    "AWS_ENDPOINTS, http://planted:planted@host/, AWS_ENDPOINTS: expected one address",
    "AWS_ENDPOINTS, http://planted host/, AWS_ENDPOINTS: expected one address",
    "VIRTUAL_HOSTED_STYLE, planted, VIRTUAL_HOSTED_STYLE: expected true or false",
    "HTTP_PROXY, ftp://user:planted@host, HTTP_PROXY: expected an address",
    "HTTPS_PROXY, http://user:planted@ho st, HTTPS_PROXY: expected an address"
  })
  void wrongCredentialIsNamedAndNotShown(String key, String value, String message) {
    assertThatThrownBy(() -> access(key, value))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining(message)
        .hasMessageNotContaining("planted");
  }

  @Test
  void wrongCertificateIsRefused() {
    assertThatThrownBy(
            () ->
                new S3TargetProvider()
                    .open(
                        TargetUrl.parse("s3://backups@eu-west-1/"),
                        S3Server.credentials(Map.of("AWS_CERT", "planted")),
                        StoreOptions.DEFAULT))
        .hasMessageContaining("AWS_CERT: expected certificates in PEM")
        .hasMessageNotContaining("planted");
  }

  @Test
  void endpointWithoutSchemeHasTls() throws Exception {
    assertThat(access("AWS_ENDPOINTS", "host:9000").endpoint())
        .contains(URI.create("https://host:9000"));
    assertThat(access().endpoint()).isEmpty();
    assertThat(access("VIRTUAL_HOSTED_STYLE", "true\n").virtualHosted()).isTrue();
  }

  @Test
  void proxiesFollowSchemeAndExceptions() throws Exception {
    ProxyRules rules =
        access(
                "HTTP_PROXY",
                "plain:3128",
                "HTTPS_PROXY",
                "http://user:planted@tls:3128",
                "NO_PROXY",
                "minio.local, .example.org,10.0.0.1")
            .proxies();

    assertThat(rules.forServer(false, "host")).contains(URI.create("http://plain:3128"));
    assertThat(rules.forServer(true, "host").map(URI::getHost)).contains("tls");
    assertThat(rules.forServer(true, "MINIO.local")).isEmpty();
    assertThat(rules.forServer(true, "s3.example.org")).isEmpty();
    assertThat(rules.forServer(true, "notexample.org")).isPresent();
    assertThat(rules.forServer(false, "10.0.0.1")).isEmpty();
    assertThat(access("HTTP_PROXY", "p:1", "NO_PROXY", "*").proxies().forServer(false, "host"))
        .isEmpty();
  }

  @Test
  void textsDoNotShowCredentials() throws Exception {
    S3Access access =
        access(
            "AWS_ACCESS_KEY_ID",
            "planted",
            "AWS_SECRET_ACCESS_KEY",
            "planted",
            "HTTP_PROXY",
            "http://user:planted@host");

    assertThat(access.toString()).doesNotContain("planted");
  }
}
