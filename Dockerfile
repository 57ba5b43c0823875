# syntax=docker/dockerfile:1
ARG BASE=docker.io/library/node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY rolldown.config.ts ./
COPY build build
COPY src src
COPY personas personas
RUN npm run bundle

FROM ${BASE}
LABEL org.opencontainers.image.title=agekey-sandbox \
      org.opencontainers.image.description="A relying-party sandbox for an age assurance service. For testing only." \
      org.opencontainers.image.source=https://github.com/OWNER/agekey-sandbox \
      org.opencontainers.image.licenses=MIT
WORKDIR /app
# The documents are served, and what they link to.
COPY package.json LICENSE README.md CHANGELOG.md SECURITY.md compose.yaml ./
COPY docs docs
COPY examples examples
COPY skills skills
COPY public public
COPY --from=build /build/dist dist

# Beyond the container itself, so that a published port reaches it: the control API then asks for AGEKEY_SANDBOX_CONTROL_TOKEN.
# Nothing is written: the keys live in memory unless a volume is mounted at /state and AGEKEY_SANDBOX_STATE_DIR names it. A new volume
# takes owner and mode of the folder of the image; without this one it would belong to root.
RUN install --directory --owner=1000 --group=1000 --mode=700 /state
ENV NODE_ENV=production \
    AGEKEY_SANDBOX_HOST=0.0.0.0 \
    AGEKEY_SANDBOX_STATE_DIR=none

# An agekey-sandbox.yaml that is mounted here is read.
WORKDIR /config
USER 1000:1000
EXPOSE 2435
# Each check starts a Node process, so there are few. Docker 25 and later checks every 5 seconds at the start, until the first success;
# compose.yaml asks sooner by start_interval. The flag --start-interval does not stand here: the buildah of Debian 12 refuses it.
HEALTHCHECK --interval=30s --timeout=4s --start-period=30s --retries=3 \
  CMD ["node", "/app/dist/bin.js", "healthcheck"]
ENTRYPOINT ["node", "/app/dist/bin.js"]
CMD ["start"]
