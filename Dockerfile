# For tools that want a Dockerfile: to scan the trees, to build on them, to push them with `docker push`. It is not what
# runs are pinned to: `agzamov images build` makes those images, and `agzamov run` takes no others.
#
#     agzamov images build harness verify
#     docker build --target harness --tag agz-harness .
#     docker build --target verify --tag agz-verify .
#
# The id differs from the pinned one, since an engine writes its own history and times; the tree digest is the same (a
# test says so). Layers are those of images/ground, images/python, images/harness and images/verify, for this machine's
# architecture; so is what is set below.

FROM scratch AS python
ADD build/images/ground/debs.tar build/images/ground/files.tar build/images/python/debs.tar /
ENV HOME=/tmp \
    LANG=C.UTF-8 \
    PATH=/usr/local/bin:/usr/bin:/bin:/usr/games \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPATH=/opt/site \
    PYTHONSAFEPATH=1 \
    PYTHONUNBUFFERED=1 \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
USER 10001:10001

FROM python AS verify
ADD build/images/verify/wheels.tar build/images/verify/source.tar /
WORKDIR /
ENTRYPOINT ["/usr/bin/python3.11", "-m", "agzamov_verify"]

FROM python AS harness
ADD build/images/harness/wheels.tar build/images/harness/source.tar /
WORKDIR /tmp
ENTRYPOINT ["/usr/bin/python3.11", "-m", "agzamov_harness"]
